import { cutMiddle } from '../names/cut'

const LETTERS = 62 // as many as have room in a wide window

// The name of a file in a row: its beginning and its end, because files of one benchmark differ at the end.
export const fileName = (name: string) => cutMiddle(name, LETTERS)
