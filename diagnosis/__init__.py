"""From series to findings: rules, causes, ranking, report."""
