import { Outlet } from 'react-router'
import { Shell } from './Shell'

export default function ShellLayout() {
  return (
    <Shell>
      <Outlet />
    </Shell>
  )
}
