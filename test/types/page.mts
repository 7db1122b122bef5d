// The types of the browser entry, as a page without Node.js sees them. Compiled, never run.
import {
  approveLink,
  codeLink,
  type DeviceLinkView,
  linkSource,
  type LinkSource,
  qrSvg,
  showDeviceLink,
} from '@tamga/client/browser';

const source: LinkSource = linkSource('/link');
const view: DeviceLinkView = showDeviceLink({
  element: document.createElement('div'),
  source,
  onLink: (link: string) => link.length,
  onError: (error: unknown) => error,
});
view.stop();
document.body.innerHTML = qrSvg(approveLink('s1'), { size: 200, errorCorrection: 'medium' });
const link: string = codeLink({ deviceLinkBase: 'https://x', sessionId: 's', vc: '12345' });
// @ts-expect-error a secret has no business here
codeLink({ deviceLinkBase: 'https://x', sessionId: 's', vc: '12345', sessionSecret: 'x' });
// @ts-expect-error no such level
qrSvg('x', { errorCorrection: 'none' });

export { link };
