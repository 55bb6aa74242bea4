import type { ErrorReportDetail } from '../../api/errorGroups'

type Exceptions = ErrorReportDetail['exceptions']

/** Formatted like the browser console: the error, its frames, then its cause. */
export function stackText(exceptions: Exceptions): string {
  return exceptions
    .map(({ kind, message, frames }, index) => {
      const head = `${index > 0 ? 'Caused by: ' : ''}${kind}: ${message}`
      return [head, ...frames.map((frame) => `    at ${frameText(frame)}`)].join('\n')
    })
    .join('\n')
}

function frameText({ function: name, file, line, column }: Exceptions[number]['frames'][number]) {
  const place = [file, line, column].filter((part) => part != null && part !== '').join(':')
  return name ? `${name} (${place})` : place
}
