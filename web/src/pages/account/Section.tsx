import { Panel } from '../../components/Panel'
import { useT } from '../../i18n/useT'
import type { AccountSection } from '../../paths'

interface SectionProps {
  name: AccountSection
  /** Replaces the section's usual introduction. */
  lead?: string
  action?: React.ReactNode
  children: React.ReactNode
}

/** A section of the account page, linked from its menu. */
export function Section({ name, lead, ...panel }: SectionProps) {
  const t = useT()
  return (
    <Panel
      id={name}
      title={t(`account.${name}.title`)}
      lead={lead ?? t(`account.${name}.lead`)}
      {...panel}
    />
  )
}
