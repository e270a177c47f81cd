"""Messages that lie over the work area and push nothing: up to three at a time, and a log of all."""

from widgets.messages.log import MessageLog
from widgets.messages.stack import Messages
from widgets.messages.values import Level, Message, MessageAction

__all__ = ["Level", "Message", "MessageAction", "MessageLog", "Messages"]
