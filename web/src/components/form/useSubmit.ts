import { useState } from 'react'
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form'
import { ApiError } from '../../api/errors'
import { queryClient } from '../../api/queryClient'

interface Submission<Values extends FieldValues, Answer> {
  send: (values: Values) => Promise<Answer>
  done: (answer: Answer) => void
}

/** A form on its way to the server. */
export interface Submitting {
  sending: boolean
  failure: ApiError | null
  onSubmit: (event: React.FormEvent) => void
}

/**
 * Sends a form, once at a time. What the server says about a field lands on that field; what it
 * says about the whole comes back as `failure`.
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
      // The person's own rights have changed: what is offered to them should follow.
      if (error.code === 'access_changed') void queryClient.invalidateQueries()
      if (!placeOnFields(form, error)) setFailure(error)
    }
  })

  return {
    failure,
    sending: form.formState.isSubmitting,
    onSubmit: (event: React.FormEvent) => {
      // The key Enter reaches a form whose button is already busy.
      if (form.formState.isSubmitting) return event.preventDefault()
      void onSubmit(event)
    },
  }
}

/** False where some text has no field on this form and must be shown above it. */
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
