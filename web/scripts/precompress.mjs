// Writes x.br and x.gz beside every text file of a build, so the server only has to pick one. The
// highest levels are affordable: this runs once per build, not once per request.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const COMPRESSIBLE = new Set([
  '.css',
  '.html',
  '.js',
  '.json',
  '.map',
  '.svg',
  '.txt',
  '.webmanifest',
])

const encoders = {
  '.br': (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  '.gz': (bytes) => promisify(gzip)(bytes, { level: 9 }),
}

async function precompress(file) {
  const bytes = await readFile(file)
  for (const [suffix, encode] of Object.entries(encoders)) {
    const packed = await encode(bytes)
    if (packed.length < bytes.length) await writeFile(file + suffix, packed)
  }
}

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('usage: precompress.mjs <folder>')

const entries = await readdir(folder, { recursive: true, withFileTypes: true })
const files = entries
  .filter((entry) => entry.isFile() && COMPRESSIBLE.has(extname(entry.name)))
  // index.html gets a nonce on every response, so a compressed copy would never be served.
  .filter((entry) => entry.name !== 'index.html')
  .map((entry) => join(entry.parentPath, entry.name))

await Promise.all(files.map(precompress))
console.log(`precompressed ${files.length} files`)
