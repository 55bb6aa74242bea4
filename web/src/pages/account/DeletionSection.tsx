import { Button } from 'antd'
import { useState } from 'react'
import type { User } from '../../api/account'
import { useT } from '../../i18n/useT'
import { DeletionDialog } from './DeletionDialog'
import { Section } from './Section'

export function DeletionSection({ user }: { user: User }) {
  const t = useT()
  const [asking, setAsking] = useState(false)
  return (
    <Section name="deletion">
      <Button danger onClick={() => setAsking(true)}>
        {t('deletion.start')}
      </Button>
      {asking && <DeletionDialog user={user} onCancel={() => setAsking(false)} />}
    </Section>
  )
}
