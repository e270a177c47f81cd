//go:build !linux

package main

import "errors"

func bootMachine(string, bool) (machine, error) {
	return nil, errors.New("guests have a system of their own on Linux only")
}

func runMachine(string) {}
