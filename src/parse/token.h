/* Partition keys to tokens. */
#ifndef TWCSCHECK_TOKEN_H
#define TWCSCHECK_TOKEN_H

#include "model/statistics.h"

/*
 * Murmur3Partitioner's token of a serialized key: the first half of MurmurHash3 x64-128 with seed
 * 0, where the last 1 to 15 bytes are taken as signed. An empty key has the lowest token.
 * Source: Cassandra Murmur3Partitioner.getToken, MurmurHash.hash3_x64_128 (all versions).
 */
int64_t token_murmur3(struct slice key);

/*
 * The token of a key by the partitioner's class name; TOKEN_UNKNOWN for other partitioners, whose
 * SSTables must be taken to overlap everything.
 * Source: Cassandra RandomPartitioner.getToken, ByteOrderedPartitioner, OrderPreservingPartitioner.
 */
struct token token_of_key(struct slice partitioner, struct slice key);

#endif
