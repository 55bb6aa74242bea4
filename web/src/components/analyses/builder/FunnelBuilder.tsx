import { ArrowDownOutlined, ArrowUpOutlined, CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { EventChoice } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { ANY, MOST, without, type FunnelDraft } from '../question'
import { EventChoiceField } from './EventChoiceField'
import { Choice, Part, type BuilderProps } from './parts'
import { WindowField } from './WindowField'
import styles from './builder.module.css'

export function FunnelBuilder({ draft, onChange }: BuilderProps<FunnelDraft>) {
  const t = useT()
  const { steps, window_minutes, order = 'loose', exclude } = draft
  const change = (changed: EventChoice[]) => onChange({ ...draft, steps: changed })
  const swap = (at: number, other: number) =>
    change(
      steps.map((step, index) =>
        index === at ? steps[other]! : index === other ? steps[at]! : step,
      ),
    )
  return (
    <>
      <Part name={t('analyses.steps')}>
        <ol className={styles.rows}>
          {steps.map((step, index) => (
            <li key={index} className={styles.lettered}>
              <span className={styles.letter} aria-hidden="true">
                {index + 1}
              </span>
              <EventChoiceField
                place={`steps[${index}]`}
                label={t('analyses.step', { number: index + 1 })}
                value={step}
                onChange={(choice) => change(steps.map((one, at) => (at === index ? choice : one)))}
              >
                <Button
                  type="text"
                  disabled={index === 0}
                  icon={<ArrowUpOutlined aria-hidden />}
                  aria-label={t('analyses.stepUp', { number: index + 1 })}
                  onClick={() => swap(index, index - 1)}
                />
                <Button
                  type="text"
                  disabled={index === steps.length - 1}
                  icon={<ArrowDownOutlined aria-hidden />}
                  aria-label={t('analyses.stepDown', { number: index + 1 })}
                  onClick={() => swap(index, index + 1)}
                />
                {steps.length > 2 && (
                  <Button
                    type="text"
                    icon={<CloseOutlined aria-hidden />}
                    aria-label={t('analyses.removeStep', { number: index + 1 })}
                    onClick={() => change(steps.filter((_, at) => at !== index))}
                  />
                )}
              </EventChoiceField>
            </li>
          ))}
        </ol>
        <Button
          type="dashed"
          size="small"
          icon={<PlusOutlined aria-hidden />}
          disabled={steps.length >= MOST.steps}
          onClick={() => change([...steps, ANY])}
        >
          {t('analyses.addStep')}
        </Button>
      </Part>
      <Part name={t('analyses.window')}>
        <WindowField
          label={t('analyses.window')}
          minutes={window_minutes}
          onChange={(minutes) => onChange({ ...draft, window_minutes: minutes })}
        />
      </Part>
      <Choice
        name={t('analyses.order')}
        value={order}
        choices={[
          ['loose', t('analyses.order.loose')],
          ['strict', t('analyses.order.strict')],
        ]}
        onChoose={(chosen) =>
          onChange(chosen === 'strict' ? { ...draft, order: chosen } : without(draft, 'order'))
        }
      />
      {exclude ? (
        <Part name={t('analyses.exclude')}>
          <EventChoiceField
            place="exclude"
            label={t('analyses.exclude')}
            value={exclude}
            onChange={(choice) => onChange({ ...draft, exclude: choice })}
          >
            <Button
              type="text"
              icon={<CloseOutlined aria-hidden />}
              aria-label={t('analyses.removeExclude')}
              onClick={() => onChange(without(draft, 'exclude'))}
            />
          </EventChoiceField>
        </Part>
      ) : (
        <Button
          type="dashed"
          size="small"
          className={styles.start}
          icon={<PlusOutlined aria-hidden />}
          onClick={() => onChange({ ...draft, exclude: ANY })}
        >
          {t('analyses.addExclude')}
        </Button>
      )}
    </>
  )
}
