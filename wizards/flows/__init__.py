"""What a guided test does, without Qt: plan, checks, phases, analysis, verdict."""
