/** Creates or edits a cohort: its name, its members, and who can see it. */
import TextArea from 'antd/es/input/TextArea'
import { useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { createCohort, updateCohort, type Cohort } from '../../../api/analyses'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import { ChoiceField } from '../../form/ChoiceField'
import { Field } from '../../form/Field'
import { FormError } from '../../form/FormError'
import { filled } from '../../form/rules'
import { TextInput } from '../../form/TextInput'
import { useSubmit } from '../../form/useSubmit'
import { FormDialog } from '../../FormDialog'
import { definitionOf, draftOf, EMPTY_DRAFT, problemOf } from './draft'
import { IdsField } from './IdsField'
import { MOST_IDS } from './ids'
import { RulesField } from './RulesField'
import styles from './cohorts.module.css'

const MOST_NAME = 100
const MOST_DESCRIPTION = 500

interface CohortDialogProps {
  /** Omitted for a new one. */
  cohort?: Cohort
  onDone: (cohort: Cohort) => void
  onCancel: () => void
}

export function CohortDialog({ cohort, onDone, onCancel }: CohortDialogProps) {
  const t = useT()
  const watched = useWatched()
  const { app, mayChange } = useApp()
  const mayShare = mayChange('cohort:manage')
  // Parts that are hidden stay unchanged.
  const [draft, setDraft] = useState(
    cohort ? (cohort.redacted ? null : draftOf(cohort.definition)) : EMPTY_DRAFT,
  )
  const [tried, setTried] = useState(false)
  const problem = draft && problemOf(draft)
  const form = useForm({
    mode: 'onBlur',
    defaultValues: {
      name: cohort?.name ?? '',
      description: cohort?.description ?? '',
      shared: cohort?.shared ?? false,
    },
  })
  const { control, setValue } = form
  const shared = useWatch({ control, name: 'shared' })
  const submitting = useSubmit(form, {
    send: (values) => {
      const body = {
        name: values.name.trim(),
        description: values.description.trim() || null,
        shared: values.shared,
        definition: draft ? definitionOf(draft) : cohort!.definition,
      }
      return watched(
        cohort
          ? updateCohort(app.id, cohort.id, { ...body, version: cohort.version })
          : createCohort(app.id, body),
      )
    },
    done: onDone,
  })
  const onSubmit = (event: React.FormEvent) => {
    if (!problem) return submitting.onSubmit(event)
    event.preventDefault()
    setTried(true)
    void form.trigger()
  }
  return (
    <FormDialog
      title={t(cohort ? 'cohorts.edit' : 'cohorts.create')}
      width={680}
      submitting={{ ...submitting, onSubmit }}
      submit={t('common.save')}
      onCancel={onCancel}
    >
      <Field
        control={control}
        name="name"
        label={t('analyses.name')}
        rules={filled(t('analyses.nameRequired'))}
      >
        {(input) => <TextInput {...input} autoComplete="off" maxLength={MOST_NAME} />}
      </Field>
      <Field control={control} name="description" label={t('analyses.description')}>
        {(input) => <TextArea {...input} rows={2} maxLength={MOST_DESCRIPTION} />}
      </Field>
      {draft && (
        <>
          <ChoiceField
            label={t('cohorts.who')}
            value={draft.of}
            choices={(['rule', 'ids'] as const).map((value) => ({
              value,
              name: t(`cohorts.by.${value}`),
            }))}
            onChoose={(of) => setDraft({ ...draft, of })}
          />
          {draft.of === 'ids' ? (
            <IdsField value={draft.ids} onChange={(ids) => setDraft({ ...draft, ids })} />
          ) : (
            <RulesField {...draft} onChange={(changed) => setDraft({ ...draft, ...changed })} />
          )}
          <FormError>{tried && problem && t(problem, { most: MOST_IDS })}</FormError>
        </>
      )}
      {cohort?.redacted && <p className={styles.soft}>{t('cohorts.redacted')}</p>}
      <ChoiceField
        label={t('analyses.for')}
        value={shared ? 'app' : 'me'}
        choices={[
          { value: 'me' as const, name: t('analyses.for.me') },
          ...(mayShare || shared ? [{ value: 'app' as const, name: t('analyses.for.app') }] : []),
        ]}
        note={mayShare ? undefined : t('cohorts.forMeOnly')}
        onChoose={(whom) => setValue('shared', whom === 'app', { shouldDirty: true })}
      />
    </FormDialog>
  )
}
