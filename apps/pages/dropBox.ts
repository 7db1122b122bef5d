import { below } from './dom.ts';

/** Shows a box that files are chosen in or dropped on, and gives each to `take`. */
export function showDropBox(box: HTMLElement, take: (file: File) => void): void {
  const input = below<HTMLInputElement>(box, 'input');
  const given = (file: File | undefined) => {
    if (file === undefined) return;
    below(box, '.chosen').textContent = file.name;
    take(file);
  };
  input.addEventListener('change', () => {
    given(input.files?.[0]);
  });
  box.addEventListener('dragover', (event) => {
    event.preventDefault();
    box.classList.add('over');
  });
  box.addEventListener('dragleave', () => {
    box.classList.remove('over');
  });
  box.addEventListener('drop', (event) => {
    event.preventDefault();
    box.classList.remove('over');
    given(event.dataTransfer?.files[0]);
  });
  // Prevents a file dropped outside the box from replacing the page.
  for (const type of ['dragover', 'drop']) {
    document.addEventListener(type, (event) => {
      event.preventDefault();
    });
  }
  box.hidden = false;
}

/** Lower-case hexadecimal. @param name of Web Crypto */
export async function hashOf(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const found = new Uint8Array(await crypto.subtle.digest(name, bytes));
  return Array.from(found, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
