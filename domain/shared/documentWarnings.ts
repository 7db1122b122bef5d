/** Parts of a PDF that can change what it shows or act by themselves; the signer and the relying party are told of them. */
export const documentWarnings = [
  'JAVASCRIPT',
  /** Acts when the document is opened. */
  'OPEN_ACTION',
  /** Acts on an event: a page turned to, a field left, a print. */
  'AUTOMATIC_ACTION',
  'LAUNCH_ACTION',
  'FORM_SUBMISSION',
  'RICH_MEDIA',
  'EMBEDDED_FILE',
  /** Optional content that is off, on the screen or in print, or that can be switched. */
  'HIDDEN_LAYERS',
  /** A form of another format, drawn in place of the pages. */
  'XFA_FORM',
  /** Objects the platform cannot read, so that they may be any of the above. */
  'UNREADABLE_PARTS',
] as const;

export type DocumentWarning = (typeof documentWarnings)[number];
