import { QueryClientProvider } from '@tanstack/react-query'
import { renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { regionsQuery } from '../../api/environment'
import { queryClient } from '../../api/queryClient'
import { useRegionName } from './useRegionName'

it('our own region is named in the person’s language, others as the operator calls them', () => {
  const regions = [
    { region: 'local', name: 'Local', endpoint: '' },
    { region: 'sg', name: 'Singapore', endpoint: '' },
  ]
  queryClient.setQueryData(regionsQuery.queryKey, new Map(regions.map((one) => [one.region, one])))
  const { result } = renderHook(useRegionName, {
    wrapper: ({ children }) => (
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    ),
  })
  expect(['local', 'sg', 'gone'].map(result.current)).toEqual(['本地', 'Singapore', 'gone'])
})
