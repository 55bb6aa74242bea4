import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useT } from '../../../i18n/useT'
import { ChoiceGroup } from '../../ChoiceGroup'
import { MOST_RULES, NEW_RULES, type DefinitionDraft, type RuleDraft } from './draft'
import { DidRow } from './DidRow'
import { ProfileRow } from './ProfileRow'
import styles from './cohorts.module.css'

type Rules = Pick<DefinitionDraft, 'joined' | 'rules'>

interface RulesFieldProps extends Rules {
  onChange: (changed: Partial<Rules>) => void
}

/** What people are, and what they did or didn't do. */
export function RulesField({ joined, rules, onChange }: RulesFieldProps) {
  const t = useT()
  const replace = (at: number, rule: RuleDraft) =>
    onChange({ rules: rules.map((one, index) => (index === at ? rule : one)) })
  const add = (is: RuleDraft['is']) => (
    <Button
      type="dashed"
      size="small"
      icon={<PlusOutlined aria-hidden />}
      disabled={rules.length >= MOST_RULES}
      onClick={() => onChange({ rules: [...rules, NEW_RULES[is]] })}
    >
      {t(`cohorts.add.${is}`)}
    </Button>
  )
  return (
    <fieldset className={styles.rules}>
      <legend>{t('cohorts.rules')}</legend>
      {rules.length > 1 && (
        <ChoiceGroup
          label={t('cohorts.joined')}
          value={joined}
          choices={(['all', 'any'] as const).map((value) => {
            const name = t(`cohorts.joined.${value}`)
            return { value, name, shown: name }
          })}
          onChoose={(chosen) => onChange({ joined: chosen })}
        />
      )}
      <ol className={styles.list}>
        {rules.map((rule, index) => (
          <li key={index}>
            <div
              className={styles.rule}
              role="group"
              aria-label={t('cohorts.rule', { number: index + 1 })}
            >
              <div className={styles.fields}>
                {rule.is === 'did' ? (
                  <DidRow
                    number={index + 1}
                    rule={rule}
                    onChange={(changed) => replace(index, changed)}
                  />
                ) : (
                  <ProfileRow
                    number={index + 1}
                    rule={rule}
                    onChange={(changed) => replace(index, changed)}
                  />
                )}
              </div>
              <Button
                type="text"
                icon={<CloseOutlined aria-hidden />}
                aria-label={t('cohorts.removeRule', { number: index + 1 })}
                onClick={() => onChange({ rules: rules.filter((_, at) => at !== index) })}
              />
            </div>
          </li>
        ))}
      </ol>
      <div className={styles.adds}>
        {add('did')}
        {add('profile')}
      </div>
    </fieldset>
  )
}
