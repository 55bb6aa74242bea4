/** All providers on the sign-in page, in one chunk that instances without any never load. */
import { SignInProviders } from './SignInProviders'
import { SsoSignIn } from './SsoSignIn'

type ProviderSignInProps =
  | ({ part: 'providers' } & React.ComponentProps<typeof SignInProviders>)
  | ({ part: 'sso' } & React.ComponentProps<typeof SsoSignIn>)

export default function ProviderSignIn(props: ProviderSignInProps) {
  return props.part === 'providers' ? <SignInProviders {...props} /> : <SsoSignIn {...props} />
}
