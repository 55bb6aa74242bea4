/** What the app sends, as it arrives, and each message's result. */
import { PauseOutlined, CaretRightOutlined } from '@ant-design/icons'
import { Button, Select } from 'antd'
import { OUTCOMES, type Outcome } from '../../../api/live'
import { besideField } from '../../../components/form/TimezoneSelect'
import { Page } from '../../../components/Page'
import { formatCount } from '../../../components/table/Counted'
import { SearchBox } from '../../../components/table/SearchBox'
import { Toolbar } from '../../../components/table/Toolbar'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { LiveList } from './LiveList'
import { LiveStatus } from './LiveStatus'
import { passes } from './rows'
import { useLive } from './useLive'
import { useLiveFilter } from './useLiveFilter'
import shared from '../workspace.module.css'
import styles from './live.module.css'

export default function LivePage() {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { app } = useApp()
  const { state, rows, act, retry } = useLive(app.id)
  const [filter, setFilter] = useLiveFilter()
  const filtered = filter.text !== undefined || filter.outcome !== undefined
  const shown = filtered ? rows.shown.filter((row) => passes(row, filter)) : rows.shown
  return (
    <Page wide title={t('title.live')} lead={t('live.lead')}>
      <LiveStatus state={state} paused={rows.paused} onRetry={retry} />
      <Toolbar
        actions={
          <div className={styles.actions}>
            <Button disabled={rows.shown.length === 0} onClick={() => act({ kind: 'cleared' })}>
              {t('live.clear')}
            </Button>
            {rows.paused ? (
              <Button
                type="primary"
                icon={<CaretRightOutlined aria-hidden />}
                onClick={() => act({ kind: 'resumed' })}
              >
                {rows.waiting === 0
                  ? t('live.resume')
                  : t('live.resumeWith', { count: formatCount(rows.waiting, language) })}
              </Button>
            ) : (
              <Button icon={<PauseOutlined aria-hidden />} onClick={() => act({ kind: 'paused' })}>
                {t('live.pause')}
              </Button>
            )}
          </div>
        }
      >
        <SearchBox
          className={shared.search}
          label={t('live.search')}
          value={filter.text}
          onSearch={(text) => setFilter({ text })}
        />
        <Select<Outcome>
          className={shared.filter}
          aria-label={t('live.byOutcome')}
          placeholder={t('live.anyOutcome')}
          allowClear
          value={filter.outcome}
          getPopupContainer={besideField}
          options={OUTCOMES.map((value) => ({ value, label: t(`ingest.${value}`) }))}
          onChange={(outcome: Outcome | undefined) => setFilter({ outcome })}
        />
      </Toolbar>
      {rows.dropped > 0 && (
        <p className={styles.dropped}>
          {t('live.dropped', { count: formatCount(rows.dropped, language) })}
        </p>
      )}
      <LiveList
        rows={shown}
        state={state}
        filtered={filtered && rows.shown.length > 0}
        onClear={() => setFilter({ text: undefined, outcome: undefined })}
      />
    </Page>
  )
}
