// A plugin for oxlint with one rule, atrium/layers: which folder of src may import from which. oxlint's own
// no-restricted-imports compares what is written and not where it leads, and overlooks import().
import { dirname, relative, resolve, sep } from 'node:path'

const SRC = resolve(import.meta.dirname, '../src')

/** From the bottom to the top; a folder imports only from those before it. */
const LAYERS = [
  ['lib', 'i18n', 'theme', 'api'],
  ['reports', 'analytics'],
  ['session'],
  ['components'],
  ['layouts'],
  ['pages'],
]
const heightOf = (folder) => LAYERS.findIndex((folders) => folders.includes(folder))

/** The folders that lead to a file from src. */
const place = (file) => relative(SRC, file).split(sep)

/**
 * What is wrong when one file imports another, if anything. Screens know what is shared, and never each
 * other: what two of them need moves out of both.
 */
function objection(from, to) {
  const [folder, slice] = from
  if (folder === 'pages' && to[0] === 'pages' && slice !== to[1])
    return 'A slice imports no other slice.'
  const height = heightOf(folder)
  if (height !== -1 && heightOf(to[0]) > height)
    return 'Imports point down: lib, session, components, layouts, pages.'
  return undefined
}

const layers = {
  create(context) {
    const file = context.filename
    const from = place(file)
    const check = ({ source }) => {
      if (!source || typeof source.value !== 'string' || !source.value.startsWith('.')) return
      const message = objection(from, place(resolve(dirname(file), source.value)))
      if (message) context.report({ node: source, message })
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    }
  },
}

export default { meta: { name: 'atrium' }, rules: { layers } }
