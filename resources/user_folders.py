"""Where the user's files go on each system: settings, data, logs, documents."""

from __future__ import annotations

from pathlib import Path

import platformdirs

_NAME = "hyperscope"


def settings_folder() -> Path:
    """Return the folder of the user's settings."""
    return platformdirs.user_config_path(_NAME, appauthor=False)


def data_folder() -> Path:
    """Return the folder of what the program keeps for the user: known hosts, sessions of the demo."""
    return platformdirs.user_data_path(_NAME, appauthor=False)


def log_folder() -> Path:
    """Return the folder of crash reports and logs. Whoever writes one makes it; it may not be possible."""
    return platformdirs.user_log_path(_NAME, appauthor=False)


def documents_folder() -> Path:
    """Return the user's own documents; the folder need not be there."""
    return platformdirs.user_documents_path()


def files_folder() -> Path:
    """Return where a dialog for files begins that knows no better: never where the program was started."""
    documents = documents_folder()
    return documents if documents.is_dir() else Path.home()
