import type { FunnelAnswer } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { Plot } from './Plot'
import type { PlotData } from './plotOption'
import styles from './results.module.css'

/** How long people took from the first step to the last. */
export function FunnelSpread({ answer, plot }: { answer: FunnelAnswer; plot: PlotData }) {
  const t = useT()
  if (answer.spread.every(({ people }) => people === 0)) {
    return <p className={styles.nothing}>{t('results.funnel.nobodyConverted')}</p>
  }
  return (
    <Plot
      data={plot}
      label={t('results.funnel.view.spread')}
      heading={t('results.funnel.timeTaken')}
    />
  )
}
