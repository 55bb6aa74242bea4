import { useState } from 'react'
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form'
import { ApiError } from '../../api/errors'
import { queryClient } from '../../api/queryClient'

interface Submission<Values extends FieldValues, Answer> {
  send: (values: Values) => Promise<Answer>
  done: (answer: Answer) => void
}

/** The state of a form submission. */
export interface Submitting {
  sending: boolean
  failure: ApiError | null
  onSubmit: (event: React.FormEvent) => void
}

/**
 * Submits a form, one request at a time. Errors about a field go to that field; errors about the
 * whole form are returned as `failure`.
 */
export function useSubmit<Values extends FieldValues, Answer>(
  form: UseFormReturn<Values>,
  { send, done }: Submission<Values, Answer>,
): Submitting {
  const [failure, setFailure] = useState<ApiError | null>(null)

  const onSubmit = form.handleSubmit(async (values) => {
    setFailure(null)
    try {
      done(await send(values))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // The user's own permissions have changed, so reload what is offered to them.
      if (error.code === 'access_changed') void queryClient.invalidateQueries()
      if (!placeOnFields(form, error)) setFailure(error)
    }
  })

  return {
    failure,
    sending: form.formState.isSubmitting,
    onSubmit: (event: React.FormEvent) => {
      // Enter submits a form even while its button is busy.
      if (form.formState.isSubmitting) return event.preventDefault()
      void onSubmit(event)
    },
  }
}

/** False if some message has no field here and must be shown above the form. */
function placeOnFields<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  error: ApiError,
): boolean {
  const named = Object.entries(error.fields)
  const placed = named.filter(([name]) => name in form.getValues())
  placed.forEach(([name, message], index) => {
    form.setError(name as FieldPath<Values>, { message }, { shouldFocus: index === 0 })
  })
  return named.length > 0 && placed.length === named.length
}
