"""esxtop batch captures: what ``esxtop -b`` wrote, and what became of it since, into a session.

``importing`` does it, ``report`` says what came of it; worker processes load ``pool`` and ``work`` only.
"""
