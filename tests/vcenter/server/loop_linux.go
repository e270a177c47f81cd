package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"
)

// The requests and flags of <linux/loop.h>.
const (
	loopControl   = "/dev/loop-control"
	loopGetFree   = 0x4C82
	loopConfigure = 0x4C0A
	loopAutoclear = 4
	loopTries     = 50
)

// blockDevice is an image as a block device, which is gone when nobody has it open any more.
type blockDevice struct {
	name   string // what its guest calls it
	number int
	rdev   int
	file   *os.File
}

func (b *blockDevice) close() { _ = b.file.Close() }

type loopInfo struct {
	device, inode, rdevice, offset, sizeLimit uint64
	number, encryptType, keySize, flags       uint32
	fileName, cryptName                       [64]byte
	key                                       [32]byte
	init                                      [2]uint64
}

type loopConfig struct {
	fd, blockSize uint32
	info          loopInfo
	reserved      [8]uint64
}

// openLoop makes a block device of an image.
func openLoop(image string) (*blockDevice, error) {
	backing, err := os.OpenFile(image, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer backing.Close()
	control, err := os.OpenFile(loopControl, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer control.Close()
	for tries := 0; tries < loopTries; tries++ {
		number, _, failed := syscall.Syscall(syscall.SYS_IOCTL, control.Fd(), loopGetFree, 0)
		if failed != 0 {
			return nil, fmt.Errorf("no loop device is free: %w", failed)
		}
		path := fmt.Sprintf("/dev/loop%d", number)
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		config := loopConfig{fd: uint32(backing.Fd()), info: loopInfo{flags: loopAutoclear}}
		copy(config.info.fileName[:63], filepath.Base(image))
		_, _, failed = syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), loopConfigure, uintptr(unsafe.Pointer(&config)))
		if failed == syscall.EBUSY { // somebody else was faster
			_ = file.Close()
			continue
		}
		if failed != 0 {
			_ = file.Close()
			return nil, fmt.Errorf("%s: %w", path, failed)
		}
		var about syscall.Stat_t
		if err := syscall.Fstat(int(file.Fd()), &about); err != nil {
			_ = file.Close()
			return nil, err
		}
		return &blockDevice{number: int(number), rdev: int(about.Rdev), file: file}, nil
	}
	return nil, fmt.Errorf("no loop device stays free")
}
