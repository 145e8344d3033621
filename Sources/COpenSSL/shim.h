// OpenSSL 3, and the macros of its headers that Swift cannot see, as functions and constants.
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
#include <openssl/sha.h>

static const uint64_t SHUNT_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t SHUNT_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t SHUNT_OP_SERVER_PREFERENCE = SSL_OP_CIPHER_SERVER_PREFERENCE;
static const uint64_t SHUNT_OP_PRIORITIZE_CHACHA = SSL_OP_PRIORITIZE_CHACHA;
static const uint64_t SHUNT_OP_IGNORE_UNEXPECTED_EOF = SSL_OP_IGNORE_UNEXPECTED_EOF;

static const long SHUNT_MODE_PARTIAL_WRITE = SSL_MODE_ENABLE_PARTIAL_WRITE;
static const long SHUNT_MODE_MOVING_BUFFER = SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER;
static const long SHUNT_MODE_NO_AUTO_CHAIN = SSL_MODE_NO_AUTO_CHAIN;

static inline long shunt_SSL_CTX_set_mode(SSL_CTX *ctx, long mode) { return SSL_CTX_set_mode(ctx, mode); }
static inline long shunt_SSL_CTX_set_min_proto_version(SSL_CTX *ctx, int version) {
    return SSL_CTX_set_min_proto_version(ctx, version);
}
static inline long shunt_SSL_CTX_set_max_proto_version(SSL_CTX *ctx, int version) {
    return SSL_CTX_set_max_proto_version(ctx, version);
}
static inline long shunt_SSL_CTX_set_groups(SSL_CTX *ctx, const char *list) {
    return SSL_CTX_set1_groups_list(ctx, list);
}
static inline long shunt_SSL_CTX_set_read_ahead(SSL_CTX *ctx, int on) { return SSL_CTX_set_read_ahead(ctx, on); }
static inline long shunt_SSL_CTX_set_session_cache_mode(SSL_CTX *ctx, long mode) {
    return SSL_CTX_set_session_cache_mode(ctx, mode);
}
static inline long shunt_SSL_CTX_set_servername_callback(SSL_CTX *ctx, int (*cb)(SSL *, int *, void *)) {
    return SSL_CTX_set_tlsext_servername_callback(ctx, cb);
}
static inline long shunt_SSL_set_servername(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name);
}
static inline void shunt_BIO_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline void shunt_BIO_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void shunt_BIO_set_retry_write(BIO *bio) { BIO_set_retry_write(bio); }
static inline long shunt_BIO_mem_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

/// As RFC 2253 writes it, on one line, control characters escaped and other UTF-8 left as it is.
static inline int shunt_X509_NAME_print(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}

static inline STACK_OF(X509) *shunt_X509_stack_new(void) { return sk_X509_new_null(); }
static inline int shunt_X509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}
static inline void shunt_X509_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }
static inline int shunt_X509_stack_count(const STACK_OF(X509) *stack) {
    return stack == NULL ? 0 : sk_X509_num(stack);
}
static inline X509 *shunt_X509_stack_at(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

static inline GENERAL_NAMES *shunt_X509_names(const X509 *certificate) {
    return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}
static inline int shunt_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
/// The bytes of a dNSName or an iPAddress, and which of them it is; NULL for every other kind of name.
static inline const unsigned char *shunt_name_at(const GENERAL_NAMES *names, int index, int *kind, int *count) {
    const ASN1_STRING *value = (const ASN1_STRING *)GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, index), kind);
    if (*kind != GEN_DNS && *kind != GEN_IPADD) return NULL;
    *count = ASN1_STRING_length(value);
    return ASN1_STRING_get0_data(value);
}
static inline void shunt_names_free(GENERAL_NAMES *names) { GENERAL_NAMES_free(names); }

/// SHA-256 whose state is a plain value, to be copied half-way; OpenSSL deprecates these in favour of EVP, which allocates.
static inline void shunt_SHA256_init(SHA256_CTX *state) { SHA256_Init(state); }
static inline void shunt_SHA256_update(SHA256_CTX *state, const void *bytes, size_t count) {
    SHA256_Update(state, bytes, count);
}
static inline void shunt_SHA256_final(unsigned char *digest, SHA256_CTX *state) { SHA256_Final(digest, state); }

static inline EVP_PKEY *shunt_P256_generate(void) { return EVP_EC_gen("P-256"); }
#endif
