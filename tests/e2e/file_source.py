"""A file manager of one file, dragged from a small window: ``python -m tests.e2e.file_source FILE X Y``."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel


class Source(QLabel):
    """A label that starts dragging its file as soon as the mouse moves."""

    def __init__(self, file: Path) -> None:
        super().__init__(file.name)
        self._file = file
        self.setWindowTitle("Files")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.resize(160, 80)

    def mouseMoveEvent(self, _event: QMouseEvent) -> None:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(self._file))])
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)


def main() -> int:
    application = QApplication(sys.argv[:1])
    source = Source(Path(sys.argv[1]))
    source.setWindowFlags(Qt.WindowType.WindowStaysOnTopHint | Qt.WindowType.FramelessWindowHint)
    source.move(QPoint(int(sys.argv[2]), int(sys.argv[3])))
    source.show()
    print("ready", flush=True)
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
