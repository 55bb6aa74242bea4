import { EMPTY, type Draft } from '../../../components/analyses/question'

/** Sample questions about an app's most frequent events. */
export function examplesOf(events: string[]): Draft[] {
  const [first, second] = events
  if (first === undefined) return []
  const one = { events: [first] }
  return [
    {
      kind: 'trend',
      series: [{ ...one, measure: { of: 'people' } }],
      breakdown: ['$os'],
    },
    ...(second === undefined ? [] : [{ ...EMPTY.funnel, steps: [one, { events: [second] }] }]),
    { ...EMPTY.retention, first: one },
    { ...EMPTY.paths, from: one },
    { ...EMPTY.distribution, event: one },
  ]
}
