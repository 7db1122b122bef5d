/**
 * For the relying party's pages: device links and their QR codes. Nothing here needs or takes a secret: signed links are
 * made by the server (`signedDeviceLink`), which a page asks for a fresh one each second.
 *
 * @packageDocumentation
 */
export { approveLink, codeLink } from '../plainLink.ts';
export {
  type DeviceLinkView,
  type DeviceLinkViewOptions,
  linkSource,
  type LinkSource,
  showDeviceLink,
} from './deviceLinkView.ts';
export { type QrOptions, qrSvg } from './qr.ts';
