/**
 * The data of a recording, which lie in the page itself: elements `script` of the type
 * `application/x-autosim`, each with a name and a content in gzip and base64. Browsers run
 * scripts of this type as little as any other data.
 */

const TYPE = "application/x-autosim";

/** The page has no block of this name, or a damaged one. */
export class BlockError extends Error {
  override readonly name = "BlockError";
}

/** Contents by name; each is unpacked when it is read. */
export class Blocks {
  readonly #texts = new Map<string, string>();

  constructor(document: Document) {
    for (const each of document.querySelectorAll<HTMLScriptElement>(`script[type="${TYPE}"]`)) {
      this.#texts.set(each.dataset["name"] ?? "", each.textContent);
      each.remove();
    }
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  async bytes(name: string): Promise<ArrayBuffer> {
    const text = this.#texts.get(name);
    if (text === undefined) throw new BlockError(`this page has no '${name}'`);
    try {
      const packed = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      return await new Response(stream).arrayBuffer();
    } catch (error) {
      throw new BlockError(`'${name}' in this page is damaged`, { cause: error });
    }
  }

  async json(name: string): Promise<unknown> {
    return JSON.parse(new TextDecoder().decode(await this.bytes(name)));
  }
}
