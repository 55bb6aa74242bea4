// Writes dist/atrium-analytics-VERSION.tgz, the package that a server hands to npm. The same files
// give the same bytes: whoever installed it has its checksum in a lock file.
import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url))

const { name, version, description, license, type, sideEffects, exports, types } = JSON.parse(
  read('package.json'),
)
// Without what only this repository needs. `private` keeps it from being published by mistake.
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

/** A file of a ustar archive: 512 bytes about it, then its content in blocks of the same size. */
function entry(path, content) {
  const head = Buffer.alloc(BLOCK)
  head.write(path, 0)
  head.write(octal(0o644, 8), 100)
  head.write(octal(0, 8), 108)
  head.write(octal(0, 8), 116)
  head.write(octal(content.length, 12), 124)
  // A fixed day; before 1980 some tools complain.
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
// Which system packed it, in the header of gzip: "unknown" everywhere.
packed[9] = 255
writeFileSync(new URL(`../dist/${name}-${version}.tgz`, import.meta.url), packed)
