import type { Properties } from '../../api/people'

const MOST_TOLD = 3
const LONGEST = 40

/** A few properties for one line, and how many more there are. */
export function summaryOf(properties: Properties): { told: [string, string][]; more: number } {
  const all = Object.entries(properties)
  const told = all
    .filter(([, value]) => value !== null && value !== '')
    .slice(0, MOST_TOLD)
    .map(([name, value]): [string, string] => [name, shortened(textOf(value))])
  return { told, more: all.length - told.length }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function shortened(text: string): string {
  const characters = [...text]
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : text
}
