// OpenSSL 3, and the macros of its headers that Swift cannot see, as functions.
#ifndef SHUNT_COPENSSL_H
#define SHUNT_COPENSSL_H
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <openssl/pem.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/bio.h>
#include <openssl/rand.h>
#endif
