"""The pages of guided work, in Qt: they take values of ``wizards.flows`` and give signals."""
