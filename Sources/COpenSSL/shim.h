// OpenSSL 3, and the macros of its headers that Swift cannot see, as functions and constants.
#ifndef SHUNT_COPENSSL_H
#define SHUNT_COPENSSL_H
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/bio.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/rsa.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/pkcs12.h>
#include <openssl/ocsp.h>

static const uint64_t SHUNT_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t SHUNT_OP_LEGACY_SERVER_CONNECT = SSL_OP_LEGACY_SERVER_CONNECT;
static const uint64_t SHUNT_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t SHUNT_OP_SERVER_PREFERENCE = SSL_OP_CIPHER_SERVER_PREFERENCE;
static const uint64_t SHUNT_OP_PRIORITIZE_CHACHA = SSL_OP_PRIORITIZE_CHACHA;
static const uint64_t SHUNT_OP_IGNORE_UNEXPECTED_EOF = SSL_OP_IGNORE_UNEXPECTED_EOF;

static inline long shunt_SSL_get_secure_renegotiation_support(SSL *ssl) {
    return SSL_get_secure_renegotiation_support(ssl);
}

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

/// A key of RSA from its numbers in big-endian order; `secret` may be NULL. NULL if they are none.
static inline EVP_PKEY *shunt_RSA_key(
    const unsigned char *modulus, int modulus_count, const unsigned char *exponent, int exponent_count,
    const unsigned char *secret, int secret_count) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    BIGNUM *n = BN_bin2bn(modulus, modulus_count, NULL);
    BIGNUM *e = BN_bin2bn(exponent, exponent_count, NULL);
    BIGNUM *d = secret == NULL ? NULL : BN_bin2bn(secret, secret_count, NULL);
    if (builder != NULL && context != NULL && n != NULL && e != NULL && (secret == NULL || d != NULL) &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) &&
        (d == NULL || OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_D, d)) &&
        (params = OSSL_PARAM_BLD_to_param(builder)) != NULL && EVP_PKEY_fromdata_init(context) == 1 &&
        EVP_PKEY_fromdata(context, &key, d == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, params) != 1)
        key = NULL;
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    EVP_PKEY_CTX_free(context);
    BN_free(n);
    BN_free(e);
    BN_clear_free(d);
    return key;
}
/// OAEP with SHA-256 and a label; 1 if it could be set.
static inline int shunt_RSA_use_oaep(EVP_PKEY_CTX *context, const unsigned char *label, int count) {
    unsigned char *copy = (unsigned char *)OPENSSL_memdup(label, count);
    if (copy == NULL) return 0;
    if (EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1 &&
        EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1 &&
        EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1 &&
        EVP_PKEY_CTX_set0_rsa_oaep_label(context, copy, count) == 1)
        return 1;
    OPENSSL_free(copy);
    return 0;
}

/// Asks the origin for a response about revocation in the handshake (RFC 6066 8).
static inline void shunt_SSL_ask_for_staple(SSL *ssl) {
    SSL_set_tlsext_status_type(ssl, TLSEXT_STATUSTYPE_ocsp);
}
static inline long shunt_SSL_staple(SSL *ssl, const unsigned char **bytes) {
    return SSL_get_tlsext_status_ocsp_resp(ssl, bytes);
}

/// Whether a certificate demands an OCSP response in the handshake (RFC 7633, status_request).
static inline int shunt_X509_must_staple(const X509 *certificate) {
    TLS_FEATURE *features = (TLS_FEATURE *)X509_get_ext_d2i(certificate, NID_tlsfeature, NULL, NULL);
    int found = 0;
    for (int index = 0; index < sk_ASN1_INTEGER_num(features); index++) {
        if (ASN1_INTEGER_get(sk_ASN1_INTEGER_value(features, index)) == TLSEXT_TYPE_status_request) found = 1;
    }
    TLS_FEATURE_free(features);
    return found;
}

/// The URLs at which a certificate's revocation list lies; freed by shunt_texts_free, NULL for none.
static inline STACK_OF(OPENSSL_STRING) *shunt_X509_crl_urls(const X509 *certificate) {
    CRL_DIST_POINTS *points = (CRL_DIST_POINTS *)X509_get_ext_d2i(certificate, NID_crl_distribution_points, NULL, NULL);
    STACK_OF(OPENSSL_STRING) *urls = sk_OPENSSL_STRING_new_null();
    for (int i = 0; urls != NULL && i < sk_DIST_POINT_num(points); i++) {
        const DIST_POINT *point = sk_DIST_POINT_value(points, i);
        if (point->distpoint == NULL || point->distpoint->type != 0) continue;
        const GENERAL_NAMES *names = point->distpoint->name.fullname;
        for (int j = 0; j < sk_GENERAL_NAME_num(names); j++) {
            int kind = 0;
            const ASN1_STRING *url =
                (const ASN1_STRING *)GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, j), &kind);
            if (kind != GEN_URI) continue;
            char *text = OPENSSL_strndup((const char *)ASN1_STRING_get0_data(url), (size_t)ASN1_STRING_length(url));
            if (text == NULL || sk_OPENSSL_STRING_push(urls, text) <= 0) OPENSSL_free(text);
        }
    }
    CRL_DIST_POINTS_free(points);
    return urls;
}
static inline int shunt_texts_count(const STACK_OF(OPENSSL_STRING) *texts) {
    return texts == NULL ? 0 : sk_OPENSSL_STRING_num(texts);
}
static inline const char *shunt_text_at(const STACK_OF(OPENSSL_STRING) *texts, int index) {
    return sk_OPENSSL_STRING_value(texts, index);
}
static inline void shunt_texts_free(STACK_OF(OPENSSL_STRING) *texts) { X509_email_free(texts); }

static inline EVP_PKEY *shunt_P256_generate(void) { return EVP_EC_gen("P-256"); }
/// A key of P-256 from its number and its point without compression; NULL if they are none.
static inline EVP_PKEY *shunt_P256_key(const unsigned char secret[32], const unsigned char point[65]) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    BIGNUM *number = BN_bin2bn(secret, 32, NULL);
    if (builder != NULL && context != NULL && number != NULL &&
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) &&
        OSSL_PARAM_BLD_push_BN_pad(builder, OSSL_PKEY_PARAM_PRIV_KEY, number, 32) &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65) &&
        (params = OSSL_PARAM_BLD_to_param(builder)) != NULL && EVP_PKEY_fromdata_init(context) == 1 &&
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, params) != 1)
        key = NULL;
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    EVP_PKEY_CTX_free(context);
    BN_clear_free(number);
    return key;
}
static inline EVP_PKEY *shunt_RSA_generate(int bits) { return EVP_RSA_gen(bits); }

static inline NAME_CONSTRAINTS *shunt_X509_constraints(const X509 *certificate) {
    return (NAME_CONSTRAINTS *)X509_get_ext_d2i(certificate, NID_name_constraints, NULL, NULL);
}
static inline const unsigned char *shunt_subtree_name(const GENERAL_SUBTREE *subtree, int *count) {
    if (subtree == NULL || subtree->base->type != GEN_DNS) return NULL;
    *count = ASN1_STRING_length(subtree->base->d.dNSName);
    return ASN1_STRING_get0_data(subtree->base->d.dNSName);
}
/// A subtree's DNS name; NULL for other kinds of name, and past the end.
static inline const unsigned char *shunt_permitted_name(const NAME_CONSTRAINTS *constraints, int index, int *count) {
    return shunt_subtree_name(sk_GENERAL_SUBTREE_value(constraints->permittedSubtrees, index), count);
}
static inline int shunt_permitted_count(const NAME_CONSTRAINTS *constraints) {
    return sk_GENERAL_SUBTREE_num(constraints->permittedSubtrees);
}
/// The same for what is excluded.
static inline const unsigned char *shunt_excluded_name(const NAME_CONSTRAINTS *constraints, int index, int *count) {
    return shunt_subtree_name(sk_GENERAL_SUBTREE_value(constraints->excludedSubtrees, index), count);
}
/// Negative where nothing is excluded.
static inline int shunt_excluded_count(const NAME_CONSTRAINTS *constraints) {
    return sk_GENERAL_SUBTREE_num(constraints->excludedSubtrees);
}
static inline int shunt_X509_to_DER(const X509 *certificate, unsigned char **bytes) {
    return i2d_X509(certificate, bytes);
}

/// Seals or opens a ticket with a key of AES-256 and one of HMAC-SHA256, 32 bytes each; 1 if it could be set.
static inline int shunt_ticket_use(
    EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, const unsigned char *cipher_key, const unsigned char *mac_key,
    const unsigned char *iv, int is_sealing) {
    OSSL_PARAM params[3] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)mac_key, 32),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0), OSSL_PARAM_construct_end()};
    return EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, cipher_key, iv, is_sealing) == 1 &&
           EVP_MAC_CTX_set_params(mac, params) == 1;
}
static inline long shunt_SSL_CTX_set_ticket_callback(
    SSL_CTX *ctx, int (*cb)(SSL *, unsigned char *, unsigned char *, EVP_CIPHER_CTX *, EVP_MAC_CTX *, int)) {
    return SSL_CTX_set_tlsext_ticket_key_evp_cb(ctx, cb);
}
static inline void shunt_free(void *bytes) { OPENSSL_free(bytes); }
#endif
