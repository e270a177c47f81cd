"""The language of the scope bar and the palette: names, kinds, times and counters become a scope. No Qt.

A text is a list of words. Quoted words are always names. Everything else is tried in this order, the longest
match first: a time, a word of the language (``all``, ``on``), a kind with a pattern, a counter, a name.
``forms.FORMS`` lists the forms with examples; help and docs are drawn from it.
"""

from viewmodels.scope_language.completion import Completion, completions
from viewmodels.scope_language.exact_text import exact_text
from viewmodels.scope_language.forms import FORMS, Form
from viewmodels.scope_language.misunderstanding import Misunderstood
from viewmodels.scope_language.name_index import NameIndex
from viewmodels.scope_language.sentence import understand
from viewmodels.scope_language.surroundings import Surroundings, Understood

__all__ = [
    "FORMS", "Completion", "Form", "Misunderstood", "NameIndex", "Surroundings", "Understood", "completions",
    "exact_text", "understand",
]  # fmt: skip
