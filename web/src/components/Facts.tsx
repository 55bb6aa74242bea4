import type { ReactNode } from 'react'

/** Name-value pairs. The surrounding page decides the layout. */
export function Facts({
  facts,
  className,
}: {
  facts: [string, ReactNode][]
  className: string | undefined
}) {
  return (
    <dl className={className}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
