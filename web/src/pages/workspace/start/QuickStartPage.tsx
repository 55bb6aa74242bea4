/** An app's first data: what to paste where, and the moment it arrives. */
import { Page } from '../../../components/Page'
import { Panel } from '../../../components/Panel'
import { Tabs } from '../../../components/Tabs'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { useAddressQuery } from '../../../router/useAddressQuery'
import { FirstEvent } from './FirstEvent'
import { CurlSource, ModuleSource, ScriptSource, ServerSource } from './Sources'

const WAYS = ['script', 'module', 'curl', 'server'] as const
type Way = (typeof WAYS)[number]
const STEPS = { script: ScriptSource, module: ModuleSource, curl: CurlSource, server: ServerSource }

export default function QuickStartPage() {
  const t = useT()
  const { may } = useApp()
  const [query, setQuery] = useAddressQuery()
  const way: Way = WAYS.find((one) => one === query.get('way')) ?? 'script'
  const Steps = STEPS[way]
  return (
    <Page wide title={t('title.quickStart')} lead={t('start.lead')}>
      {may('dashboard:view') && <FirstEvent />}
      <Panel title={t('start.ways')}>
        <Tabs
          label={t('start.ways')}
          tabs={WAYS.map((key) => ({ key, label: t(`start.way.${key}`) }))}
          active={way}
          onChoose={(chosen) =>
            setQuery(chosen === 'script' ? {} : { way: chosen }, { preventScrollReset: true })
          }
        >
          <Steps />
        </Tabs>
      </Panel>
    </Page>
  )
}
