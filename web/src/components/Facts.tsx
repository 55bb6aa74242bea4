import type { ReactNode } from 'react'

/** What is known of something, each by its name. How it is laid out is for the place it stands in. */
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
