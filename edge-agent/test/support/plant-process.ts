import { type CountingPlant, type CountingPlantOptions, startCountingPlant } from './counting-plant.ts'

/** A counting plant in a process of its own, for faults that stop it (see `start-plant-process.ts`). It ends with its parent. */
let plant: CountingPlant | undefined
process.on('message', (message: 'quiet' | Omit<CountingPlantOptions, 'onServed'>) => {
  if (message === 'quiet') return plant?.quiet()
  void startCountingPlant({ ...message, onServed: (served) => void process.send?.({ served }) }).then((started) => {
    plant = started
    process.send?.({ started: { collectors: started.collectors, machines: started.machines } })
  })
})
process.on('disconnect', () => process.exit())
