"""The guided troubleshooting: from a symptom to the checks of its entity, to what to do, and did it work?"""
