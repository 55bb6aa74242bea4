// Writes dist/atrium-analytics-VERSION.tgz, the package a server hands to npm. The same files
// always produce the same bytes, because lock files record the checksum.
import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url))

const { name, version, description, license, type, sideEffects, exports, types } = JSON.parse(
  read('package.json'),
)
// Drop the fields that only this repository needs. `private` prevents publishing by mistake.
const inside = sideEffects.filter((path) => path.startsWith('./dist/'))
const manifest = { name, version, description, license, private: true, type }
Object.assign(manifest, { sideEffects: inside, exports, types })

const files = {
  'package.json': Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`),
  LICENSE: read('../LICENSE'),
  'README.md': read('README.md'),
  'dist/atrium.js': read('dist/atrium.js'),
  'dist/atrium.mjs': read('dist/atrium.mjs'),
  'dist/index.d.ts': read('dist/index.d.ts'),
}

const BLOCK = 512
const octal = (value, length) => `${value.toString(8).padStart(length - 1, '0')}\0`

/** One file of a ustar archive: a 512-byte header, then the content padded to 512-byte blocks. */
function entry(path, content) {
  const head = Buffer.alloc(BLOCK)
  head.write(path, 0)
  head.write(octal(0o644, 8), 100)
  head.write(octal(0, 8), 108)
  head.write(octal(0, 8), 116)
  head.write(octal(content.length, 12), 124)
  // A fixed date. Some tools complain about dates before 1980.
  head.write(octal(499_162_500, 12), 136)
  head.write(' '.repeat(8), 148)
  head.write('0', 156)
  head.write('ustar\x0000', 257)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${octal(sum, 7)} `, 148)
  return [head, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]
}

const entries = Object.entries(files).flatMap(([path, content]) =>
  entry(`package/${path}`, content),
)
const packed = gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]), { level: 9 })
// The OS byte of the gzip header: "unknown" everywhere.
packed[9] = 255
writeFileSync(new URL(`../dist/${name}-${version}.tgz`, import.meta.url), packed)
