/** What `make standins` prints: where to click, in both languages. */
import { FAULTS } from './faults.mjs'

export function guide({ url, owner, places, domain }) {
  const { oidc, wechatwork, feishu, dns_control: dns } = places
  const tags = Object.keys(FAULTS)
    .map((tag) => `+${tag}`)
    .join(' ')
  const post = (address, body) => `curl -d '${JSON.stringify(body)}' ${address}`
  const rotate = post(`${oidc}/_control/rotate`, {})
  const down = post(`${oidc}/_control/down`, { down: true })
  const record = { name: '_atrium-challenge.example.com', values: ['atrium-verification=…'] }
  const txt = post(`${dns}/_control/txt`, record)
  const seen = `${wechatwork}/_control/seen  ${feishu}/_control/seen`

  return `
Atrium is at ${url}
Owner of the team Acme: ${owner.email}, password ${owner.password}

Single sign-on. On ${url}/login choose to sign in with a work address and type anna@${domain}, or
  any other address at ${domain}: the first time makes the member. ${owner.email} has an account
  already, so it is linked only after that account signed in with its password.
  What a broken provider does: anna+badsig@${domain}. Tags: ${tags}
  New keys at the provider:  ${rotate}
  The provider is down:      ${down}
WeChat Work, Feishu. Bind one on ${url}/account/user-info, sign out, and sign in with it.
  Messages that arrived:  ${seen}
A domain of your own. Add it in the team's settings, publish its record, then verify:
  ${txt}
Ctrl-C ends all of it and removes the data. More: docs/standins.md

──
Atrium 地址：${url}
团队 Acme 的所有者：${owner.email}，密码 ${owner.password}

单点登录：打开 ${url}/login，选择用工作邮箱登录，输入 anna@${domain} 或该域名下的任意邮箱，
  首次登录会自动加入团队。${owner.email} 已有账号，需先用密码登录，再完成关联。
  模拟身份提供方出错：anna+badsig@${domain}。可用标签：${tags}
  更换签名密钥：  ${rotate}
  模拟服务中断：  ${down}
企业微信与飞书：在 ${url}/account/user-info 绑定，退出后即可用它登录。
  查看收到的消息：${seen}
验证自己的域名：在团队设置中添加域名，发布下面的解析记录，再点击验证：
  ${txt}
按 Ctrl-C 结束，数据随之删除。详见 docs/standins.md
`
}
