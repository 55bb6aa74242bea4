import { Panel } from '../../components/Panel'
import { useT } from '../../i18n/useT'
import type { AccountSection } from '../../paths'

interface SectionProps {
  name: AccountSection
  /** In place of what the section usually says about itself. */
  lead?: string
  action?: React.ReactNode
  children: React.ReactNode
}

/** A part of the account page, which its menu leads to. */
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
