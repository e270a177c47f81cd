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
	keys, err := newCertificates()
	if err != nil {
		return nil, nil, err
	}
	der, err := keys.der("localhost", "localhost")
	if err != nil {
		return nil, nil, err
	}
	secret, err := x509.MarshalECPrivateKey(keys.private)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), nil
}

// certificates issues self-signed certificates of one key.
type certificates struct{ private *ecdsa.PrivateKey }

func newCertificates() (*certificates, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return &certificates{private}, err
}

func (c *certificates) issue(name string) (tls.Certificate, error) {
	der, err := c.der(name, name)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: c.private}, err
}

func (c *certificates) der(name string, also ...string) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name, Organization: []string{"test vCenter"}},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(365 * 24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true, DNSNames: also,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	return x509.CreateCertificate(rand.Reader, template, template, &c.private.PublicKey, c.private)
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
