package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// The documented defaults: results of one list, and the mode of a file that comes in without one.
const (
	usualResults = 50
	usualMode    = 0o644
)

// guestFileDesk is the GuestFileManager.
type guestFileDesk struct {
	desk
	guests *Guests
}

// within does something with one file of a guest, for which the user may have to write.
func (d *guestFileDesk) within(
	vm types.ManagedObjectReference, auth types.BaseGuestAuthentication, file string, write bool,
	do func(*Guest, string) types.BaseMethodFault,
) *soap.Fault {
	guest, fault := d.guests.enter(vm, auth)
	if fault == nil {
		var place string
		if place, fault = guest.path(file, write); fault == nil {
			fault = do(guest, place)
		}
	}
	return guestFault(fault)
}

// fileFault is what the API says for an error of the file system.
func fileFault(err error, file string) types.BaseMethodFault {
	about := types.FileFault{File: file}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &types.FileNotFound{FileFault: about}
	case errors.Is(err, fs.ErrExist):
		return &types.FileAlreadyExists{FileFault: about}
	case errors.Is(err, fs.ErrPermission):
		return &types.GuestPermissionDenied{}
	}
	return &types.CannotAccessFile{FileFault: about}
}

// MakeDirectoryInGuest makes a folder, and those above it if that is wished.
func (d *guestFileDesk) MakeDirectoryInGuest(_ *simulator.Context, req *types.MakeDirectoryInGuest) soap.HasFault {
	body := &methods.MakeDirectoryInGuestBody{Res: &types.MakeDirectoryInGuestResponse{}}
	body.Fault_ = d.within(req.Vm, req.Auth, req.DirectoryPath, true, func(_ *Guest, path string) types.BaseMethodFault {
		if req.CreateParentDirectories {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return fileFault(err, req.DirectoryPath)
			}
		}
		return fileFault(os.Mkdir(path, 0o755), req.DirectoryPath)
	})
	return body
}

// DeleteFileInGuest deletes a file or a link, no folder.
func (d *guestFileDesk) DeleteFileInGuest(_ *simulator.Context, req *types.DeleteFileInGuest) soap.HasFault {
	body := &methods.DeleteFileInGuestBody{Res: &types.DeleteFileInGuestResponse{}}
	body.Fault_ = d.within(req.Vm, req.Auth, req.FilePath, true, func(_ *Guest, path string) types.BaseMethodFault {
		about, err := os.Lstat(path)
		if err == nil && about.IsDir() {
			return &types.NotAFile{FileFault: types.FileFault{File: req.FilePath}}
		}
		if err == nil {
			err = os.Remove(path)
		}
		return fileFault(err, req.FilePath)
	})
	return body
}

// DeleteDirectoryInGuest deletes a folder; one that is not empty only with all that is in it.
func (d *guestFileDesk) DeleteDirectoryInGuest(_ *simulator.Context, req *types.DeleteDirectoryInGuest) soap.HasFault {
	body := &methods.DeleteDirectoryInGuestBody{Res: &types.DeleteDirectoryInGuestResponse{}}
	about := types.FileFault{File: req.DirectoryPath}
	body.Fault_ = d.within(req.Vm, req.Auth, req.DirectoryPath, true, func(_ *Guest, path string) types.BaseMethodFault {
		found, err := os.Lstat(path)
		if err != nil {
			return fileFault(err, req.DirectoryPath)
		}
		if !found.IsDir() {
			return &types.NotADirectory{FileFault: about}
		}
		if req.Recursive {
			return fileFault(os.RemoveAll(path), req.DirectoryPath)
		}
		if inside, _ := os.ReadDir(path); len(inside) > 0 {
			return &types.DirectoryNotEmpty{FileFault: about}
		}
		return fileFault(os.Remove(path), req.DirectoryPath)
	})
	return body
}

// MoveFileInGuest renames a file; over another only if that is wished.
func (d *guestFileDesk) MoveFileInGuest(_ *simulator.Context, req *types.MoveFileInGuest) soap.HasFault {
	body := &methods.MoveFileInGuestBody{Res: &types.MoveFileInGuestResponse{}}
	body.Fault_ = d.within(req.Vm, req.Auth, req.SrcFilePath, true, func(guest *Guest, from string) types.BaseMethodFault {
		return guest.move(from, req.DstFilePath, false, req.Overwrite)
	})
	return body
}

// MoveDirectoryInGuest renames a folder, never over another.
func (d *guestFileDesk) MoveDirectoryInGuest(_ *simulator.Context, req *types.MoveDirectoryInGuest) soap.HasFault {
	body := &methods.MoveDirectoryInGuestBody{Res: &types.MoveDirectoryInGuestResponse{}}
	body.Fault_ = d.within(req.Vm, req.Auth, req.SrcDirectoryPath, true, func(guest *Guest, from string) types.BaseMethodFault {
		return guest.move(from, req.DstDirectoryPath, true, false)
	})
	return body
}

func (g *Guest) move(from, target string, folder, over bool) types.BaseMethodFault {
	to, fault := g.path(target, true)
	if fault != nil {
		return fault
	}
	about, err := os.Lstat(from)
	switch {
	case err != nil:
		return fileFault(err, from)
	case folder && !about.IsDir():
		return &types.NotADirectory{FileFault: types.FileFault{File: from}}
	case !folder && about.IsDir():
		return &types.NotAFile{FileFault: types.FileFault{File: from}}
	}
	if there, err := os.Lstat(to); err == nil {
		if !folder && there.IsDir() {
			return &types.NotAFile{FileFault: types.FileFault{File: target}}
		}
		if !over {
			return &types.FileAlreadyExists{FileFault: types.FileFault{File: target}}
		}
	}
	return fileFault(os.Rename(from, to), target)
}

// CreateTemporaryDirectoryInGuest makes a folder of a new name, in the guest's own one for such if none is named.
func (d *guestFileDesk) CreateTemporaryDirectoryInGuest(
	_ *simulator.Context, req *types.CreateTemporaryDirectoryInGuest,
) soap.HasFault {
	body := &methods.CreateTemporaryDirectoryInGuestBody{Res: &types.CreateTemporaryDirectoryInGuestResponse{}}
	guest, fault := d.guests.enter(req.Vm, req.Auth)
	if body.Fault_ = guestFault(fault); fault != nil {
		return body
	}
	parent := orText(req.DirectoryPath, filepath.Join(guest.folder, "tmp"))
	body.Fault_ = d.within(req.Vm, req.Auth, parent, true, func(guest *Guest, path string) types.BaseMethodFault {
		made, err := os.MkdirTemp(path, req.Prefix+"*"+req.Suffix)
		body.Res.Returnval = guest.inner(made)
		return fileFault(err, path)
	})
	return body
}

// CreateTemporaryFileInGuest makes an empty file of a new name.
func (d *guestFileDesk) CreateTemporaryFileInGuest(_ *simulator.Context, req *types.CreateTemporaryFileInGuest) soap.HasFault {
	body := &methods.CreateTemporaryFileInGuestBody{Res: &types.CreateTemporaryFileInGuestResponse{}}
	guest, fault := d.guests.enter(req.Vm, req.Auth)
	if body.Fault_ = guestFault(fault); fault != nil {
		return body
	}
	parent := orText(req.DirectoryPath, filepath.Join(guest.folder, "tmp"))
	body.Fault_ = d.within(req.Vm, req.Auth, parent, true, func(guest *Guest, path string) types.BaseMethodFault {
		made, err := os.CreateTemp(path, req.Prefix+"*"+req.Suffix)
		if err == nil {
			body.Res.Returnval = guest.inner(made.Name())
			err = made.Close()
		}
		return fileFault(err, path)
	})
	return body
}

// ChangeFileAttributesInGuest sets a file's mode and its time.
func (d *guestFileDesk) ChangeFileAttributesInGuest(_ *simulator.Context, req *types.ChangeFileAttributesInGuest) soap.HasFault {
	body := &methods.ChangeFileAttributesInGuestBody{Res: &types.ChangeFileAttributesInGuestResponse{}}
	body.Fault_ = d.within(req.Vm, req.Auth, req.GuestFilePath, true, func(_ *Guest, path string) types.BaseMethodFault {
		if posix, ok := req.FileAttributes.(*types.GuestPosixFileAttributes); ok && posix.Permissions != 0 {
			if err := os.Chmod(path, fs.FileMode(posix.Permissions).Perm()); err != nil {
				return fileFault(err, path)
			}
		}
		if at := req.FileAttributes.GetGuestFileAttributes().ModificationTime; at != nil {
			return fileFault(os.Chtimes(path, time.Now(), *at), path)
		}
		return nil
	})
	return body
}

// ListFilesInGuest is a file, or what is in a folder: . and .. among it, 50 at most if the client does not say.
func (d *guestFileDesk) ListFilesInGuest(_ *simulator.Context, req *types.ListFilesInGuest) soap.HasFault {
	body := &methods.ListFilesInGuestBody{Res: &types.ListFilesInGuestResponse{}}
	body.Fault_ = d.within(req.Vm, req.Auth, req.FilePath, false, func(_ *Guest, path string) types.BaseMethodFault {
		pattern, err := regexp.Compile(orText(req.MatchPattern, ".*"))
		if err != nil {
			return &types.InvalidArgument{InvalidProperty: "matchPattern"}
		}
		all, err := listedFiles(path, pattern)
		if err != nil {
			return fileFault(err, req.FilePath)
		}
		first := min(max(int(req.Index), 0), len(all))
		last := min(first+int(orNumber(req.MaxResults, usualResults)), len(all))
		body.Res.Returnval = types.GuestListFileInfo{Files: all[first:last], Remaining: int32(len(all) - last)}
		return nil
	})
	return body
}

func listedFiles(path string, pattern *regexp.Regexp) ([]types.GuestFileInfo, error) {
	about, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !about.IsDir() {
		return []types.GuestFileInfo{fileInfo(path, about, path)}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	names := []string{".", ".."}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	found := []types.GuestFileInfo{}
	for _, name := range names {
		one, err := os.Lstat(filepath.Join(path, name))
		if err == nil && pattern.MatchString(name) {
			found = append(found, fileInfo(name, one, filepath.Join(path, name)))
		}
	}
	return found, nil
}

func fileInfo(name string, about fs.FileInfo, path string) types.GuestFileInfo {
	info := types.GuestFileInfo{Path: name, Type: string(types.GuestFileTypeFile), Size: about.Size()}
	at := about.ModTime().UTC()
	attributes := &types.GuestPosixFileAttributes{
		GuestFileAttributes: types.GuestFileAttributes{ModificationTime: &at, AccessTime: &at},
		OwnerId:             types.NewInt32(0), GroupId: types.NewInt32(0), Permissions: 0o100000 | int64(about.Mode().Perm()),
	}
	switch {
	case about.IsDir():
		info.Type, attributes.Permissions = string(types.GuestFileTypeDirectory), 0o040000|int64(about.Mode().Perm())
	case about.Mode()&fs.ModeSymlink != 0:
		info.Type = string(types.GuestFileTypeSymlink)
		attributes.SymlinkTarget, _ = os.Readlink(path)
	}
	info.Attributes = attributes
	return info
}

// InitiateFileTransferFromGuest gives the address where a file can be got.
func (d *guestFileDesk) InitiateFileTransferFromGuest(
	_ *simulator.Context, req *types.InitiateFileTransferFromGuest,
) soap.HasFault {
	body := &methods.InitiateFileTransferFromGuestBody{Res: &types.InitiateFileTransferFromGuestResponse{}}
	body.Fault_ = d.within(req.Vm, req.Auth, req.GuestFilePath, false, func(guest *Guest, path string) types.BaseMethodFault {
		about, err := os.Lstat(path)
		if err != nil {
			return fileFault(err, req.GuestFilePath)
		}
		if fault := plainFile(about, req.GuestFilePath); fault != nil {
			return fault
		}
		url, err := d.guests.doors.address(&transfer{vm: req.Vm, host: *guest.vm.Runtime.Host, file: path})
		info := fileInfo(path, about, path)
		body.Res.Returnval = types.FileTransferInformation{Attributes: info.Attributes, Size: info.Size, Url: url}
		return systemFault(err)
	})
	return body
}

// InitiateFileTransferToGuest gives the address where a file can be put.
func (d *guestFileDesk) InitiateFileTransferToGuest(_ *simulator.Context, req *types.InitiateFileTransferToGuest) soap.HasFault {
	body := &methods.InitiateFileTransferToGuestBody{Res: &types.InitiateFileTransferToGuestResponse{}}
	body.Fault_ = d.within(req.Vm, req.Auth, req.GuestFilePath, true, func(guest *Guest, path string) types.BaseMethodFault {
		if above, err := os.Stat(filepath.Dir(path)); err != nil || !above.IsDir() {
			return noFile(req.GuestFilePath)
		}
		if about, err := os.Lstat(path); err == nil {
			if fault := plainFile(about, req.GuestFilePath); fault != nil {
				return fault
			}
			if !req.Overwrite {
				return &types.FileAlreadyExists{FileFault: types.FileFault{File: req.GuestFilePath}}
			}
		}
		mode := fs.FileMode(usualMode)
		if posix, ok := req.FileAttributes.(*types.GuestPosixFileAttributes); ok && posix.Permissions != 0 {
			mode = fs.FileMode(posix.Permissions).Perm()
		}
		url, err := d.guests.doors.address(
			&transfer{vm: req.Vm, host: *guest.vm.Runtime.Host, file: path, in: true, size: req.FileSize, mode: mode})
		body.Res.Returnval = url
		return systemFault(err)
	})
	return body
}

// plainFile is the fault of a folder or a link, which can't be transferred.
func plainFile(about fs.FileInfo, file string) types.BaseMethodFault {
	switch {
	case about.IsDir():
		return &types.NotAFile{FileFault: types.FileFault{File: file}}
	case about.Mode()&fs.ModeSymlink != 0:
		return &types.InvalidArgument{InvalidProperty: "guestFilePath"}
	}
	return nil
}

func systemFault(err error) types.BaseMethodFault {
	if err == nil {
		return nil
	}
	return &types.SystemError{Reason: err.Error()}
}
