// Fails if the script that pages load has grown too large.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const LIMIT = 5 * 1024

const file = readFileSync(new URL('../dist/atrium.js', import.meta.url))
const size = gzipSync(file, { level: 9 }).length
console.log(`dist/atrium.js: ${file.length} bytes, ${size} gzipped (limit ${LIMIT})`)
if (size > LIMIT) process.exitCode = 1
