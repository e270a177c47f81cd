package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"strings"
	"time"
)

// certificate loads the pair of files, or makes a self-signed one (and keeps it there, when names are given).
func certificate(certFile, keyFile string) (tls.Certificate, error) {
	if certFile != "" {
		pair, err := tls.LoadX509KeyPair(certFile, keyFile)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return pair, err
		}
	}
	cert, key, err := selfSigned()
	if err != nil {
		return tls.Certificate{}, err
	}
	if certFile != "" {
		if err = os.WriteFile(certFile, cert, 0o600); err == nil {
			err = os.WriteFile(keyFile, key, 0o600)
		}
		if err != nil {
			return tls.Certificate{}, err
		}
	}
	return tls.X509KeyPair(cert, key)
}

func selfSigned() (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "localhost", Organization: []string{"test vCenter"}},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(365 * 24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return nil, nil, err
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), nil
}

// thumbprint is the certificate's SHA-256, as vSphere writes it: AB:CD:…
func thumbprint(pair tls.Certificate) string {
	sum := sha256.Sum256(pair.Certificate[0])
	parts := make([]string, len(sum))
	for i, b := range sum {
		parts[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(parts, ":")
}
